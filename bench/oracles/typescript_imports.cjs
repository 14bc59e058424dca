// What the TypeScript compiler says of the imports of a project: an independent second opinion.
// Usage: node typescript_imports.cjs PATH_OF_TYPESCRIPT ROOT; reads one JSON {files}, writes a JSON list of
// [importer, imported, line]. Options are those of the nearest tsconfig.json that includes the file.
const fs = require('node:fs')
const path = require('node:path')
const ts = require(process.argv[2])

const root = fs.realpathSync(process.argv[3])
const { files } = JSON.parse(fs.readFileSync(0, 'utf8'))
const LOOSE = {
  allowJs: true,
  jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  resolveJsonModule: true
}
const configs = new Map()

// A tsconfig with what it refers to: the files it includes and its options.
function projects(file) {
  if (!configs.has(file)) {
    configs.set(file, [])
    const { config } = ts.readConfigFile(file, ts.sys.readFile)
    const parsed = ts.parseJsonConfigFileContent(config ?? {}, ts.sys, path.dirname(file), undefined, file)
    const own = { files: new Set(parsed.fileNames.map((name) => path.resolve(name))), options: parsed.options }
    const referred = (parsed.projectReferences ?? []).map((one) => ts.resolveProjectReferencePath(one))
    configs.set(file, [own, ...referred.filter((name) => fs.existsSync(name)).flatMap(projects)])
  }
  return configs.get(file)
}

function optionsOf(file) {
  for (let folder = path.dirname(file); folder.startsWith(root); folder = path.dirname(folder)) {
    const config = path.join(folder, 'tsconfig.json')
    const found = fs.existsSync(config) ? projects(config).find((one) => one.files.has(file)) : undefined
    if (found) return { ...found.options, allowJs: true, resolveJsonModule: true }
  }
  return LOOSE
}

// Every module name in a file, with the node that asks for it.
function named(source) {
  const found = []
  const note = (node) => node && ts.isStringLiteralLike(node) && found.push(node)
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) note(node.moduleSpecifier)
    else if (ts.isExternalModuleReference(node)) note(node.expression)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) note(node.argument.literal)
    else if (ts.isModuleDeclaration(node) && node.name.text.startsWith('.')) note(node.name)
    else if (ts.isCallExpression(node)) {
      const dynamic = node.expression.kind === ts.SyntaxKind.ImportKeyword
      if (dynamic || (ts.isIdentifier(node.expression) && node.expression.text === 'require')) note(node.arguments[0])
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function resolve(name, node, source, options) {
  const mode = ts.getModeForUsageLocation(source, node, options)
  const found = ts.resolveModuleName(name, source.fileName, options, ts.sys, undefined, undefined, mode).resolvedModule
  if (found) return found.resolvedFileName
  const plain = path.resolve(path.dirname(source.fileName), name)
  return name.startsWith('.') && fs.existsSync(plain) && fs.statSync(plain).isFile() ? plain : undefined
}

const edges = new Map()
for (const name of files) {
  const file = path.join(root, name)
  const options = optionsOf(file)
  const text = fs.readFileSync(file, 'utf8')
  const format = ts.getImpliedNodeFormatForFile(file, undefined, ts.sys, options)
  const target = { languageVersion: ts.ScriptTarget.Latest, impliedNodeFormat: format }
  const source = ts.createSourceFile(file, text, target, true)
  source.referencedFiles.forEach((one) => add(name, path.resolve(path.dirname(file), one.fileName), 0))
  for (const node of named(source)) {
    const found = resolve(node.text, node, source, options)
    if (found) add(name, found, source.getLineAndCharacterOfPosition(node.getStart()).line + 1)
  }
}

function add(importer, file, line) {
  if (!fs.existsSync(file)) return
  const imported = path.relative(root, fs.realpathSync(file))
  const key = JSON.stringify([importer, imported])
  if (!imported.startsWith('..') && !imported.includes('node_modules') && importer !== imported && !edges.has(key)) {
    edges.set(key, [importer, imported, line])
  }
}
process.stdout.write(JSON.stringify([...edges.values()]))
