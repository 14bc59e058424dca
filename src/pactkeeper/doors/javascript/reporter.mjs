// A reporter for Vitest (3 or later) and Jest: writes what came of each test in the form of Jest's `--json`, with the
// id of the test in the pact and its atoms besides, for `pk evidence import`. It has no dependencies.
//
// Options: `file`, where the report is written (else $PACT_REPORT, else pact-report.json), and `pk`, the command that
// knows the pact (else $PACT_PK, else pk), as a list of words where it has arguments. `pk: false` leaves ids and atoms out.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const MOST_BYTES = 256 * 1024 * 1024

export default class PactReporter {
  // Vitest gives the options alone, Jest its configuration before them.
  constructor(first = {}, second) {
    const options = second ?? (first?.rootDir ? {} : first)
    this.root = first?.rootDir ?? process.cwd()
    this.file = options.file ?? process.env.PACT_REPORT ?? 'pact-report.json'
    this.pk = options.pk ?? process.env.PACT_PK ?? 'pk'
  }

  // Vitest
  onInit(vitest) {
    this.root = vitest.config.root
  }

  onTestRunEnd(modules) {
    this.write(modules.map(moduleResult))
  }

  // Jest
  onRunComplete(_, results) {
    this.write(results.testResults.filter((file) => !file.skipped).map(fileResult))
  }

  write(testResults) {
    const tests = testResults.flatMap((file) => file.assertionResults)
    const report = {
      numTotalTests: tests.length,
      success: testResults.every((file) => file.status !== 'failed'),
      root: this.root,
      testResults,
    }
    const place = resolve(this.root, this.file)
    const save = () => writeFileSync(place, JSON.stringify(report, null, 1))
    mkdirSync(dirname(place), { recursive: true })
    save()
    const untold = this.pk === false ? '' : this.link(testResults, place)
    save()
    this.tell(tests, place, untold)
  }

  // Asks the pact which test each case is and which atoms it realises; says why where that cannot be known.
  link(testResults, place) {
    const [command, ...words] = [this.pk].flat()
    const asked = [...words, 'evidence', 'cases', '--json', place]
    const places = testResults.flatMap((file) =>
      file.assertionResults.length || file.status !== 'failed' ? file.assertionResults : [{}])
    try {
      const said = execFileSync(command, asked, {
        cwd: this.root, encoding: 'utf8', maxBuffer: MOST_BYTES, stdio: ['ignore', 'pipe', 'pipe'],
      })
      JSON.parse(said).cases.forEach((found, index) => {
        places[index].id = found.test
        places[index].atoms = found.atoms
      })
      return ''
    } catch (error) {
      return String(error.stderr || error.message).trim()
    }
  }

  tell(tests, place, untold) {
    for (const test of tests) {
      if (test.status === 'failed' && test.atoms?.length) {
        console.log(`pact: failing  ${test.id}  ${test.atoms.join(', ')}`)
      }
    }
    if (untold) {
      console.log(`pact: ids and atoms are left out: ${untold}`)
    }
    console.log(`pact: report: ${place}`)
  }
}

function moduleResult(module) {
  const errors = module.errors()
  const tests = [...module.children.allTests()].filter((test) => test.result().state !== 'pending')
  return {
    name: module.moduleId,
    status: errors.length || tests.some((test) => test.result().state === 'failed') ? 'failed' : 'passed',
    message: errors.map((error) => error.message).join('\n'),
    assertionResults: tests.map(caseResult),
  }
}

function caseResult(test) {
  const { state, errors } = test.result()
  const titles = suites(test.parent)
  return {
    ancestorTitles: titles,
    title: test.name,
    fullName: [...titles, test.name].join(' '),
    status: state === 'skipped' && test.options.mode === 'todo' ? 'todo' : state,
    duration: test.diagnostic()?.duration ?? 0,
    failureMessages: (errors ?? []).map((error) => String(error.stack ?? error.message)),
    location: test.location ?? null,
  }
}

function suites(parent) {
  return parent.type === 'suite' ? [...suites(parent.parent), parent.name] : []
}

function fileResult(file) {
  return {
    name: file.testFilePath,
    status: file.testExecError || file.numFailingTests ? 'failed' : 'passed',
    message: file.failureMessage ?? '',
    assertionResults: file.testResults.map((test) => ({
      ancestorTitles: test.ancestorTitles,
      title: test.title,
      fullName: test.fullName,
      status: test.status,
      duration: test.duration ?? 0,
      failureMessages: test.failureMessages,
      location: test.location ?? null,
    })),
  }
}
