test("before the break", () => {
  expect(total([1, 2])).toBe(3);
});

test("broken", () => {
  expect(total(= [1, 2])).toBe(3);
});

test("after the break", () => {
  expect(total([])).toBe(0);
});
