// What the TypeScript compiler sees of the tests of one file: an independent second opinion, kept as simple as it can be.
// Usage: node typescript.cjs PATH_OF_TYPESCRIPT; reads one JSON {path, text} a line, writes one JSON {id: fingerprint}.
const crypto = require('node:crypto')
const readline = require('node:readline')
const ts = require(process.argv[2])

const TESTS = new Set(['test', 'it', 'specify', 'fit', 'xit', 'xtest'])
const SUITES = new Set(['describe', 'context', 'suite', 'fdescribe', 'xdescribe'])

// The leftmost name of `test.each(table)`, `it.only`, `describe.skip`...
function rootName(node) {
  while (!ts.isIdentifier(node)) {
    if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) node = node.expression
    else if (ts.isTaggedTemplateExpression(node)) node = node.tag
    else return ''
  }
  return node.text
}

function title(node, file) {
  if (ts.isStringLiteralLike(node)) return node.text
  return ts.isTemplateExpression(node) ? node.getText(file).slice(1, -1) : node.getText(file)
}

// `const maybe = condition ? it : it.skip`: the names that stand for a test or a suite in this file.
function aliases(file, names) {
  const known = new Set(names)
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const choice = ts.isConditionalExpression(node.initializer)
      const values = choice ? [node.initializer.whenTrue, node.initializer.whenFalse] : [node.initializer]
      const plain = values.every((one) => ts.isIdentifier(one) || ts.isPropertyAccessExpression(one))
      if (plain && values.some((one) => known.has(rootName(one)))) known.add(node.name.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return known
}

// The call as structure and leaves: layout, comments, quotes, semicolons, parentheses leave no trace, nor do quotes around keys.
function shape(node, file) {
  if (ts.isParenthesizedExpression(node)) return shape(node.expression, file)
  const children = []
  ts.forEachChild(node, (child) => { if (!ts.isEmptyStatement(child)) children.push(shape(child, file)) })
  if (children.length) return `${ts.SyntaxKind[node.kind]}(${extra(node)}${children.join(',')})`
  if (ts.isStringLiteral(node) && node.parent.name === node && /^[A-Za-z_$][\w$]*$/.test(node.text)) return node.text
  if (ts.isStringLiteral(node)) return JSON.stringify(node.text)
  const text = node.getText(file)
  return /^[[{(]/.test(text) ? text.replace(/\s|;|,$/g, '') : text // `{ }` and `{}` are both empty
}

function extra(node) {
  if (ts.isVariableDeclarationList(node)) return `${node.flags & ts.NodeFlags.BlockScoped};`
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) return `${node.operator};`
  return ''
}

function unique(taken, name) {
  const number = (taken.get(name) ?? 0) + 1
  taken.set(name, number)
  return number === 1 ? name : `${name}#${number}`
}

function collect(file) {
  const found = {}
  const tests = aliases(file, TESTS)
  const suites = aliases(file, SUITES)
  const fingerprint = (node, skip) => {
    const parts = [shape(node.expression, file), ...node.arguments.filter((one) => one !== skip).map((one) => shape(one, file))]
    return crypto.createHash('sha256').update(parts.join('\n')).digest('hex')
  }
  const taken = new Map()
  const visit = (node, suite) => {
    if (ts.isCallExpression(node) && node.arguments.length && !ts.isFunctionLike(node.arguments[0])) {
      const root = rootName(node.expression)
      const body = node.arguments.slice(1).some((one) => ts.isFunctionLike(one))
      const called = ts.isIdentifier(node.expression) || !ts.isCallExpression(node.parent) || node.parent.expression !== node
      if (suites.has(root) && body && called) {
        const name = title(node.arguments[0], file)
        node.arguments.forEach((one) => visit(one, [...suite, name]))
        return
      }
      if (tests.has(root) && called && (body || node.arguments.length === 1 || /\.todo\b/.test(node.expression.getText(file)))) {
        if (!(node.parent && ts.isTaggedTemplateExpression(node.parent))) {
          const name = [...suite, title(node.arguments[0], file)].join('::')
          found[unique(taken, name)] = fingerprint(node, node.arguments[0])
          return
        }
      }
    }
    ts.forEachChild(node, (child) => visit(child, suite))
  }
  visit(file, [])
  return found
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { path, text } = JSON.parse(line)
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  process.stdout.write(JSON.stringify(file.parseDiagnostics.length ? null : collect(file)) + '\n')
})
