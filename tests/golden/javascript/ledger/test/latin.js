/* it('is in a comment', () => {}) */
function book(it) {
  it('is a parameter', () => {})
}
describe('Übertrag', () => it('heißt "Übertrag" :: immer', () => {}))
