import type { Command } from 'commander'
import { UsageError } from './failure.ts'

/** What `atrium` of the repository and of the API's image does on a server. */
export const serverCommands: readonly string[] = [
  'setup',
  'doctor',
  'upgrade',
  'operator',
  'keys',
  'provisioning',
  'export',
]

/**
 * Adds commands that say where those of the same name run: they need the server's settings and its
 * database, which this program does not have.
 */
export function addServerCommands(program: Command): void {
  for (const name of serverCommands)
    program
      .command(name, { hidden: true })
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new UsageError(
          `"atrium ${name}" runs on the server, in the repository: npx -y pnpm@12 atrium ${name}`,
        )
      })
}
