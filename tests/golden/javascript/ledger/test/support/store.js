module.exports = function behavesLikeStore(make) {
  describe('store', () => {
    it('keeps what it is given', () => {})
    it.skip('forgets what is deleted', () => {})
  })
}
