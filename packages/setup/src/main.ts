#!/usr/bin/env node
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs, promisify } from 'node:util'
import { dnsResolver } from '@atrium/integrations/dns/resolver'
import { type Answers, AnswersError, askAnswers, readAnswers } from './answers.ts'
import type { SetupContext } from './context.ts'
import type { ServerAddresses } from './dns-records.ts'
import { dockerOf } from './docker.ts'
import { diskFiles, type Files, plannedFiles } from './files.ts'
import { namesOf } from './names.ts'
import { passedOn, passOn } from './pass-on.ts'
import { planSetup, setUp } from './setup.ts'

const usage = `atrium setup                  sets the workplace up on this machine, with questions
atrium setup --answers FILE   without questions: docs/how-to/install.md
atrium setup --dry-run        shows files and DNS records, and changes nothing
${passedOn.map((command) => `atrium ${command}`).join('\n')}
                              run in the API's container: "atrium COMMAND --help"

--directory DIR   the folder with compose.yaml; deploy/ of the repository by default
`
/** EX_USAGE of sysexits.h. */
const wrongUsage = 64
const assets = join(import.meta.dirname, '../../../deploy')

const [command = '', ...args] = process.argv.slice(2)
process.exitCode = await main()

async function main(): Promise<number> {
  if (passedOn.includes(command)) return passOn(assets, [command, ...args])
  if (command === '--help' || command === '-h' || args.includes('--help')) {
    process.stdout.write(usage)
    return 0
  }
  if (command !== 'setup') {
    process.stderr.write(usage)
    return wrongUsage
  }
  const options = readOptions()
  if (!options) return wrongUsage
  try {
    await run(options)
    return 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof AnswersError ? wrongUsage : 1
  }
}

function readOptions() {
  try {
    return parseArgs({
      args,
      options: {
        answers: { type: 'string' },
        directory: { type: 'string' },
        'dry-run': { type: 'boolean' },
      },
    }).values
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
    return undefined
  }
}

async function run(options: NonNullable<ReturnType<typeof readOptions>>): Promise<void> {
  const folder = resolve(options.directory ?? assets)
  const disk = diskFiles(folder)
  const answers = await chooseAnswers(options.answers, disk)
  const planned = options['dry-run'] ? plannedFiles(disk) : undefined
  const files = planned ?? disk
  await checkDomain(disk, answers)
  await files.write('secrets/answers.json', `${JSON.stringify(answers, null, 2)}\n`)
  const context: SetupContext = {
    answers,
    names: namesOf(answers),
    files,
    docker: dockerOf(folder),
    resolver: dnsResolver({ servers: [] }),
    commit: await readCommit(),
    addresses: answers.addresses ?? publicAddresses(),
    endpoints: {
      identity: 'http://127.0.0.1:9000',
      mail: 'http://127.0.0.1:8080',
      files: 'http://127.0.0.1:9200',
    },
    readAsset: (path) => readFile(join(assets, path), 'utf8'),
    say: (line) => process.stdout.write(`${line}\n`),
    patience: { timeoutMs: 600_000, intervalMs: 5_000, dnsTimeoutMs: 24 * 3_600_000 },
  }
  if (planned) await planSetup(context, planned.written)
  else await setUp(context)
}

/** From the file that is named, else from an earlier run, else from a person. */
async function chooseAnswers(path: string | undefined, disk: Files): Promise<Answers> {
  const text =
    path === undefined ? await disk.read('secrets/answers.json') : await readFile(path, 'utf8')
  if (text !== undefined) return readAnswers(parseJson(text))
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await askAnswers(async (question, preset) => {
      const shown = preset === undefined ? '' : ` [${preset}]`
      return (await terminal.question(`${question}${shown}: `)).trim() || (preset ?? '')
    })
  } finally {
    terminal.close()
  }
}

/** Names, issuers and accounts lie below the domain: another one is another installation. */
async function checkDomain(disk: Files, answers: Answers): Promise<void> {
  const text = await disk.read('secrets/answers.json')
  const { domain } = text === undefined ? answers : readAnswers(parseJson(text))
  if (domain !== answers.domain)
    throw new AnswersError([`domain: this machine was set up for ${domain}, which cannot change`])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AnswersError(['the file: is no JSON'])
  }
}

async function readCommit(): Promise<string | undefined> {
  const git = promisify(execFile)('git', ['-C', assets, 'rev-parse', 'HEAD'])
  return git.then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )
}

/** Addresses of this machine that the world may reach. */
function publicAddresses(): ServerAddresses {
  const closed = new BlockList()
  for (const [network, bits] of [
    ...([
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
    ] as const),
    ...([
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
    ] as const),
  ])
    closed.addSubnet(network, bits)
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return {
    ipv4: own.find(({ family, address }) => family === 'IPv4' && !closed.check(address))?.address,
  }
}
