test('is ignored', () => {})
