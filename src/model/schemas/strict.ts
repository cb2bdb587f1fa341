/**
 * Adapts a tool's schema to the subset that a vendor enforces while its model writes a call (`strict`). Admission checks the whole
 * schema of each call in any case, so that keywords may be left out; a schema whose shape cannot be kept is sent without `strict`.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

/** What a vendor takes: subsets.ts. */
export interface SchemaSubset {
  /** Keywords that the vendor takes. All others are left out of what it gets. */
  kept: ReadonlySet<string>;
  /** Keywords without which the schema would mean something else: a schema with one of them is not sent as strict. */
  shaping: ReadonlySet<string>;
  formats: ReadonlySet<Json>;
  /** All properties must be required. */
  allRequired: boolean;
  recursive: boolean;
  /** More than this of `minItems` is not taken. */
  mostMinItems: number;
}

export type StrictSchema = { schema: JsonObject; reason: null } | { schema: null; reason: string };

export function strictSchema(schema: JsonObject, subset: SchemaSubset): StrictSchema {
  try {
    const adapted = new Adapting(schema, subset).whole();
    return { schema: adapted, reason: null };
  } catch (error) {
    if (error instanceof Misfit) return { schema: null, reason: error.message };
    throw error;
  }
}

class Misfit extends Error {}

class Adapting {
  private readonly definitions: JsonObject;
  /** For a vendor without recursion: the definitions that lead to this place. */
  private readonly path: string[] = [];
  /** Definitions that were followed to their ends: each is once, however often it is named. */
  private readonly followedNames = new Set<string>();

  constructor(
    private readonly root: JsonObject,
    private readonly subset: SchemaSubset,
  ) {
    const { $defs = null } = root;
    this.definitions = isJsonObject($defs) ? $defs : {};
  }

  whole(): JsonObject {
    const adapted = this.adapt(this.root, 'input');
    if (adapted.type !== 'object') throw new Misfit('input is not an object');
    return adapted;
  }

  private adapt(schema: Json | undefined, at: string): JsonObject {
    if (schema === undefined || !isJsonObject(schema)) throw new Misfit(`${at} has no schema of its own`);
    const shaping = Object.keys(schema).find((key) => this.subset.shaping.has(key));
    if (shaping !== undefined) throw new Misfit(`${at} uses ${shaping}`);
    if (schema.$ref !== undefined) this.checkReference(schema.$ref, at);
    const {
      properties: _,
      items,
      anyOf,
      $defs,
      ...rest
    } = Object.fromEntries(Object.entries(schema).filter(([key, value]) => this.keeps(key, value)));
    return {
      ...rest,
      ...(isObjectType(schema) ? this.objectParts(schema, at) : {}),
      ...(items === undefined ? {} : { items: this.adapt(items, `${at}[]`) }),
      ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((one) => this.adapt(one, at)) } : {}),
      ...($defs !== undefined && isJsonObject($defs) ? { $defs: mapValues($defs, (one, name) => this.adapt(one, name)) } : {}),
    };
  }

  private keeps(key: string, value: Json): boolean {
    const { kept, formats, mostMinItems } = this.subset;
    if (key === 'format') return kept.has(key) && formats.has(value);
    if (key === 'minItems') return kept.has(key) && typeof value === 'number' && value <= mostMinItems;
    return kept.has(key);
  }

  /** References that lead nowhere in what is sent would make the vendor refuse the whole request. */
  private checkReference(reference: Json, at: string): void {
    const name = typeof reference === 'string' ? /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1] : undefined;
    const isRoot = reference === '#';
    if (!isRoot && (name === undefined || !Object.hasOwn(this.definitions, name)))
      throw new Misfit(`${at} refers to ${String(reference).slice(0, 100)}, which is not in $defs`);
    if (this.subset.recursive) return;
    if (isRoot || this.path.includes(name!)) throw new Misfit(`${at} is recursive`);
    if (this.followedNames.has(name!)) return;
    this.path.push(name!);
    this.adapt(this.definitions[name!], name!);
    this.path.pop();
    this.followedNames.add(name!);
  }

  private objectParts({ type, properties = null, required = null, additionalProperties }: JsonObject, at: string): JsonObject {
    const fields = isJsonObject(properties) ? properties : {};
    const names = Object.keys(fields);
    const listed: readonly Json[] = Array.isArray(required) ? required : [];
    const free = this.subset.allRequired ? names.find((name) => !listed.includes(name)) : undefined;
    if (free !== undefined) throw new Misfit(`${at}.${free} is optional`);
    if (additionalProperties !== false) throw new Misfit(`${at} allows other fields`);
    return {
      // A type such as object or null stays as it is.
      type: Array.isArray(type) ? type : 'object',
      properties: mapValues(fields, (one, name) => this.adapt(one, `${at}.${name}`)),
      required: names.filter((name) => listed.includes(name)),
      additionalProperties: false,
    };
  }
}

function isObjectType({ type, properties }: JsonObject): boolean {
  return properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function mapValues(object: JsonObject, make: (value: Json, key: string) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, make(value, key)]));
}
