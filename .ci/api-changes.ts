import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openApiDocument } from '@atrium/api/http/openapi'
import { withScim } from '@atrium/api/http/openapi-scim'
import { version } from '@atrium/core/platform/version'
import {
  faultsOfChangelog,
  releaseChangelog,
  writeEntries,
} from '@atrium/testing/api-changes/changelog'
import { compareApis } from '@atrium/testing/api-changes/compare'
import { readRecord, recordOf, writeRecord } from '@atrium/testing/api-changes/record'

/**
 * Compares the OpenAPI document with the record of the last release, by
 * docs/reference/compatibility.md. Fails for a breaking change that the changelog of the API does
 * not name.
 */
const usage = `pnpm api-changes            what changed in the API since the last release; fails for breaking changes
                            that docs/reference/api-changelog.md does not name
pnpm api-changes record     at a release: records the API under the version of version.ts, and puts
                            what changed under it in the changelog`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
})
const [command = 'check'] = positionals
if (values.help || !['check', 'record'].includes(command)) {
  process.stdout.write(`${usage}\n`)
  process.exit(values.help ? 0 : 64)
}

const folder = join(import.meta.dirname, '../docs/reference')
const recordFile = join(folder, 'api-released.json')
const changelogFile = join(folder, 'api-changelog.md')
const day = new Date().toISOString().slice(0, 10)
const released = readRecord(await readFile(recordFile, 'utf8'))
const changelog = await readFile(changelogFile, 'utf8')
const present = recordOf(withScim(openApiDocument(version, '/')))
const changes = compareApis(released, present, day)
const breaking = changes.filter(({ kind }) => kind === 'breaking')
const faults = faultsOfChangelog(changelog, changes)

const major = (text: string) => Number(text.split('.')[0])
if (command === 'record') {
  if (version === released.version) faults.push(`${version} is recorded already: set version.ts`)
  if (
    breaking.length > 0 &&
    major(released.version) > 0 &&
    major(version) === major(released.version)
  )
    faults.push(`${version} has breaking changes and is no major version`)
}
if (faults.length === 0 && command === 'record') {
  await writeFile(recordFile, writeRecord(present))
  await writeFile(changelogFile, releaseChangelog(changelog, changes, { version, day }))
}
const text = writeEntries(changes)
process.stdout.write(text === '' ? '' : `${text}\n`)
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(
  `${Object.keys(present.operations).length} operations, ${changes.length} changes since ${released.version}, ${breaking.length} of them breaking, ${faults.length} faults\n`,
)
process.exitCode = faults.length > 0 ? 1 : 0
