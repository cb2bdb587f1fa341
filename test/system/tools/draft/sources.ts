/** What tools are drafted from. */

export const OPENAPI = `
openapi: 3.0.3
info: { title: Stock, version: '1' }
servers: [{ url: 'https://stock.example/v1/' }]
paths:
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string, maxLength: 20 } }]
    get:
      operationId: getItem
      summary: Gets one item.
      parameters: [{ $ref: '#/components/parameters/Lang' }]
    delete: { operationId: deleteItem }
  /items:
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } }
components:
  parameters:
    Lang: { name: lang, in: query, schema: { type: string, enum: [en, de] } }
  schemas:
    Item:
      type: object
      required: [name]
      properties:
        name: { type: string, nullable: true }
        price: { type: number, minimum: 0, exclusiveMinimum: true }
        parent: { $ref: '#/components/schemas/Item' }
`;
export const SQL = `CREATE TABLE orders (
  id serial PRIMARY KEY,
  status text NOT NULL CHECK (status IN ('open', 'paid')),
  total numeric(10,2) NOT NULL,
  note varchar(20),
  "odd ""name" integer
);`;
export const CSV =
  'id,state,price,day,name\n1,open,1.5,2026-01-02,Ana\n2,open,2,2026-01-03,Bo\n3,paid,3.25,2026-01-04,Cy\n4,paid,4,2026-01-05,Di\n';

export const SHOP = `
import type { Currency } from './money';

enum Size { Small = 's', Large = 'l' }
type Unit = 'kg' | 'lb';
interface Dated {
  /** Day of delivery */
  day?: string;
}
/** What is ordered. */
interface Order extends Dated {
  item: string;
  unit: Unit | null;
  size: Size;
  tags: readonly string[];
  at: { street: string; floor?: number };
  prices: Record<string, number>;
  gift: boolean | undefined;
}

/**
 * Places an order
 * with the shop.
 *
 * Further things that nobody needs to know.
 *
 * @param order - what is ordered
 * @param order.item - Number of the {@link Item}
 * @param order.at.street - Street and house
 * @returns number and price of the order
 * @throws {RangeError} when the shop is closed
 * @example
 * \`\`\`ts
 * placeOrder({ item: 'A1' })
 * \`\`\`
 */
export async function placeOrder(order: Order, signal?: AbortSignal) {
  return { got: order, signal: signal !== undefined };
}

/** Counts. @param from first day */
export const countOrders = (from: string, most = 10, ...states: ('open' | 'paid')[]) => ({ from, most, states });

export function price(item: string): number;
export function price(item: string, currency: Currency, when: Date): number;
export function price(...all: unknown[]): number { return all.length; }

export default ({ days = 3 }: { days?: 1 | 2 | 3 }) => days;
/** @deprecated */
function old(node: Tree) { return node.left === undefined; }
interface Tree { left?: Tree }
export { old as formerly };
export const LIMIT = 5;
function inner(secret: string) { return secret; }
export type Inner = ReturnType<typeof inner>;
`;
