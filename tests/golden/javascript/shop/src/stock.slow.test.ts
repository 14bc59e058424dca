it('is excluded', () => {})
