import { describe, expect, expectTypeOf, it, test, vi } from "vitest";
import { Cart, type Line, parsePrice, totalOf } from "../src/cart";
import { expectEmpty } from "./support/checks";

const limit = 20;

describe("Cart", () => {
  let cart: Cart;

  beforeEach(() => {
    cart = new Cart({ limit });
  });

  it("starts empty", () => {
    expectEmpty(cart);
  });

  it("adds a line with its price", () => {
    cart.add("tea", 2);
    const line = cart.lines[0];
    expect(cart.lines).toHaveLength(1);
    expect(line.name).toBe("tea");
    expect(line).toMatchObject({ count: 2, price: 350 });
  });

  it("refuses more than the limit", () => {
    expect(() => cart.add("tea", 21)).toThrow(new RangeError("too many"));
    expect(() => cart.add("tea", 20)).not.toThrow();
  });

  it("tells listeners about every change", () => {
    const onChange = vi.fn();
    cart.subscribe(onChange);
    cart.add("tea", 1);
    expect(onChange).toHaveBeenCalledTimes(1);
    expect(onChange).toHaveBeenCalledWith({ name: "tea", count: 1 });
    expect(onChange.mock.calls[0][0]).toBe("added");
  });

  it.each([
    ["3.50", 350],
    ["0", 0],
  ])("parses the price %s", (text, cents) => {
    expect(parsePrice(text)).toBe(cents);
  });

  it("rejects a checkout without an address", async () => {
    await expect(cart.checkout()).rejects.toThrow(/address/);
    await expect(cart.checkout({ to: "Bern" })).resolves.toHaveProperty("id");
  });

  it("keeps the order when it fails half way", async () => {
    const result = await cart.trySave();
    expect(result.ok).toBe(false);
    if (!result.ok) {
      expect(result.error.code).toBe("E_DISK");
    }
  });

  it("changes its state", () => {
    expect(cart.state).toBe("open");
    cart.close();
    expect(cart.state).toBe("closed");
  });

  test("total", () => {
    for (const count of [1, 2, 3]) {
      expect(totalOf(count)).toBeGreaterThan(0);
    }
    expectTypeOf(totalOf).returns.toEqualTypeOf<number>();
    expect(totalOf(2)).toMatchInlineSnapshot(`700`);
  });

  it("works", () => {
    cart.add("tea", 1);
  });

  it("renders", () => {
    expect(cart.toString()).toMatchSnapshot();
  });

  it("is checked by something else", () => {
    expectValidCart(cart);
  });
});
