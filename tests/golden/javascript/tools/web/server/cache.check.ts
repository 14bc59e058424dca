describe.skip('cache', () => {
  it(`expires`, () => {})
  describe('size', () => {
    it.only(limitName({ kind: 'large' }), () => {})
  })
})
