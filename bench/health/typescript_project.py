"""The project in TypeScript: tsc and Vitest."""

from __future__ import annotations

from typing import Final

from bench.health.fault import Fault, Project, conflict

_FILES: Final = {
    "package.json": '{ "name": "orders", "version": "1.0.0", "type": "module" }\n',
    "tsconfig.json": '{ "compilerOptions": { "strict": true, "target": "es2022", "module": "es2022", '
    '"moduleResolution": "bundler", "noEmit": true, "types": [] }, "include": ["src"] }\n',
    "vitest.config.js": "export default { test: { globals: true, include: ['test/*.test.ts'] } }\n",
    "src/models.ts": """export interface Line { name: string; price: number; quantity: number }
export interface Order { number: number; lines: Line[] }
export function makeOrder(number: number, ...lines: Line[]): Order { return { number, lines } }
""",
    "src/pricing.ts": """import { Order } from './models'
export function subtotal(order: Order): number {
  return order.lines.reduce((sum, line) => sum + line.price * line.quantity, 0)
}
export function discount(order: Order): number { return subtotal(order) >= 1000 ? subtotal(order) / 10 : 0 }
export function total(order: Order): number { return subtotal(order) - discount(order) }
""",
    "src/store.ts": """import { Order } from './models'
export interface Store { save(order: Order): void; find(number: number): Order | undefined }
export class Memory implements Store {
  private orders = new Map<number, Order>()
  save(order: Order): void { this.orders.set(order.number, order) }
  find(number: number): Order | undefined { return this.orders.get(number) }
}
export function openStore(): Store { return new Memory() }
""",
    "src/report.ts": """import { Line, Order } from './models'
import { total } from './pricing'
export function row(line: Line): string { return `${line.quantity} ${line.name} ${line.price}` }
export function report(order: Order): string {
  return [`Order ${order.number}`, ...order.lines.map(row), `Total ${total(order)}`].join('\\n')
}
""",
    "test/pricing.test.ts": """import { makeOrder } from '../src/models'
import { discount, subtotal, total } from '../src/pricing'
describe('pricing', () => {
  it('multiplies price and quantity', () => {
    expect(subtotal(makeOrder(1, { name: 'pen', price: 20, quantity: 3 }))).toBe(60)
  })
  it('takes a tenth off a large order', () => {
    expect(discount(makeOrder(1, { name: 'desk', price: 1000, quantity: 1 }))).toBe(100)
  })
  it('totals what remains', () => {
    expect(total(makeOrder(1, { name: 'desk', price: 1000, quantity: 1 }))).toBe(900)
  })
})
""",
    "test/store.test.ts": """import { makeOrder } from '../src/models'
import { openStore } from '../src/store'
it('finds a saved order', () => {
  const store = openStore()
  store.save(makeOrder(7))
  expect(store.find(7)).toEqual(makeOrder(7))
})
""",
    "test/report.test.ts": """import { makeOrder } from '../src/models'
import { report } from '../src/report'
it('has a row for each line', () => {
  expect(report(makeOrder(3, { name: 'pen', price: 20, quantity: 1 }))).toBe('Order 3\\n1 pen 20\\nTotal 20')
})
""",
}
_CHECKS: Final = """
[[health.check]]
name = "types"
argv = ["{tools}/node_modules/.bin/tsc", "--noEmit", "--pretty", "false"]
category = "compile"
parser = "tsc"

[[health.check]]
name = "tests"
argv = ["{tools}/node_modules/.bin/vitest", "run", "--reporter=json", "--outputFile={report}"]
category = "test"
parser = "vitest"
"""
_MODELS, _PRICING, _STORE, _REPORT = (f"src/{name}.ts" for name in ("models", "pricing", "store", "report"))
_FLAKY: Final = """import { existsSync, writeFileSync } from 'node:fs'
it('finds a warm cache', () => {
  const mark = `${process.env.LAB_STATE}/warm`
  const was = existsSync(mark)
  writeFileSync(mark, '')
  expect(was).toBe(true)
})
"""
_FIND: Final = "find(number: number): Order | undefined { return this.orders.get(number) }"
PROJECT: Final = Project(
    "typescript",
    _FILES,
    _CHECKS,
    (
        Fault("field-renamed", "rename", ((_MODELS, "price: number", "amount: number"),), "compile"),
        Fault("number-renamed", "rename", ((_MODELS, "Order { number: number", "Order { ident: number"),), "compile"),
        Fault("function-renamed", "rename", ((_PRICING, "function subtotal", "function sumUp"),), "compile"),
        Fault("maker-renamed", "rename", ((_MODELS, "function makeOrder", "function newOrder"),), "test"),
        Fault("total-gone", "missing export", ((_PRICING, "export function total", "function total"),), "compile"),
        Fault("type-gone", "missing export", ((_MODELS, "export interface Line", "interface Line"),), "compile"),
        Fault("opener-gone", "missing export", ((_STORE, "export function openStore", "function openStore"),), "test"),
        Fault(
            "find-takes-text",
            "interface",
            (
                (
                    _STORE,
                    _FIND,
                    _FIND.replace("number: number", "number: string").replace("get(number)", "get(Number(number))"),
                ),
            ),
            "compile",
        ),
        Fault(
            "store-wants-more",
            "interface",
            ((_STORE, "interface Store {", "interface Store { drop(number: number): void;"),),
            "compile",
        ),
        Fault(
            "save-promises",
            "interface",
            (
                (
                    _STORE,
                    "interface Store { save(order: Order): void",
                    "interface Store { save(order: Order): Promise<void>",
                ),
            ),
            "compile",
        ),
        Fault("sum-off-by-one", "behaviour", ((_PRICING, "line.quantity, 0)", "line.quantity, 1)"),), "test"),
        Fault("discount-doubled", "behaviour", ((_PRICING, "/ 10", "/ 5"),), "test"),
        Fault("nothing-kept", "behaviour", ((_STORE, "{ this.orders.set(order.number, order) }", "{}"),), "test"),
        Fault("rows-joined", "behaviour", ((_REPORT, ".join('\\n')", ".join(' ')"),), "test"),
        Fault(
            "open-brace",
            "syntax",
            ((_MODELS, "{ return { number, lines } }", "{ return { number, lines }"),),
            "compile",
        ),
        Fault("stray-sign", "syntax", ((_REPORT, "export function row", "export function )row"),), "compile"),
        Fault("markers-in-code", "conflict markers", ((_PRICING, "", conflict("// a\n", "// b\n")),), "conflict"),
        Fault(
            "library-missing",
            "missing dependency",
            ((_PRICING, "import", "import 'nosuchlib'\nimport nosuchlib from 'nosuchlib'\nimport"),),
            "compile",
        ),
        Fault("fails-once", "flaky", (("test/cache.test.ts", "", _FLAKY),), "test", "flaky", 0),
        Fault(
            "disk-full",
            "infrastructure",
            (("vitest.config.js", "export", "throw new Error('ENOSPC: no space left on device, write')\nexport"),),
            "test",
            "infrastructure",
            0,
        ),
        Fault(
            "database-away",
            "infrastructure",
            (("vitest.config.js", "export", "throw new Error('connect ECONNREFUSED 127.0.0.1:5432')\nexport"),),
            "test",
            "infrastructure",
            0,
        ),
        Fault(
            "tool-missing",
            "infrastructure",
            (("pact/pact.toml", "/node_modules/.bin/tsc", "/node_modules/.bin/nosuch"),),
            "compile",
            "infrastructure",
            0,
        ),
    ),
)  # fmt: skip - one fault a line reads as a table
