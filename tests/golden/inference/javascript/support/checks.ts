export function expectEmpty(cart: { lines: unknown[]; total: number }) {
  expect(cart.lines).toHaveLength(0);
  expect(cart.total).toBe(0);
}
