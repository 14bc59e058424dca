const words = require('./words')
module.exports = words
