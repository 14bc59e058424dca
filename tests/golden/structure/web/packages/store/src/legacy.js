/// <reference path="types/index.ts" />
exports.name = require(process.env.LEGACY || './state')
