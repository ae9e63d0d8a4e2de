import { parseArgs } from 'node:util'
import type { Check } from './check.ts'
import { parts } from './parts.ts'

const usage = `pnpm deployment             what is deployed, tried with the programs that deploy it
pnpm deployment helm        one part: ${Object.keys(parts).join(', ')}
A part whose programs are not on this machine is left out, and says which.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h', default: false } },
})
const unknown = positionals.filter((name) => !(name in parts))
if (values.help || unknown.length > 0) {
  process.stdout.write(`${usage}\n`)
  process.exit(values.help ? 0 : 64)
}

const verdict = ({ holds }: Check) =>
  holds === null ? 'not tried' : holds ? 'holds    ' : 'FAILS    '

let failed = false
for (const [name, part] of Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const checks = await part.run().catch((error: unknown): Check[] => [
    {
      what: 'it ran to the end',
      measured: error instanceof Error ? error.message : String(error),
      holds: false,
    },
  ])
  failed ||= checks.length === 0 || checks.some(({ holds }) => holds === false)
  process.stdout.write(
    `\n${part.title}\n${checks.map((check) => `  ${verdict(check)} ${check.what}\n            ${check.measured}`).join('\n')}\n`,
  )
}
process.exitCode = failed ? 1 : 0
