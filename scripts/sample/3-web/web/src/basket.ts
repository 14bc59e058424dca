export interface Line {
  sku: string
  cents: number
  quantity: number
}

export class Basket {
  private lines: Line[] = []

  add(sku: string, cents: number, quantity = 1): void {
    if (quantity < 1) throw new RangeError(`quantity must be positive, got ${quantity}`)
    const line = this.lines.find((entry) => entry.sku === sku)
    if (line) line.quantity += quantity
    else this.lines.push({ sku, cents, quantity })
  }

  get count(): number {
    return this.lines.reduce((sum, line) => sum + line.quantity, 0)
  }

  total(discountPercent = 0): number {
    const sum = this.lines.reduce((total, line) => total + line.cents * line.quantity, 0)
    return Math.round((sum * (100 - discountPercent)) / 100)
  }
}
