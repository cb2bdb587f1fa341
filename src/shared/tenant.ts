/** Whose a name is: `tenant/name`; null: it has no slash, and is the operator's own. */
export function tenantOf(name: string): string | null {
  const slash = name.indexOf('/');
  return slash < 0 ? null : name.slice(0, slash);
}
