exports.audited = () => it('is written down', () => {})
exports.unused = () => it('is never registered', () => {})
