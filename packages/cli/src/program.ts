import tab from '@bomb.sh/tab/commander'
import { Command } from 'commander'
import { addApiCommand } from './api-command.ts'
import { addOperations } from './commands.ts'
import { addEventsTail } from './events.ts'
import { addProfileCommands } from './login.ts'
import { addMcpCommand } from './mcp.ts'
import { readOperations } from './operations.ts'
import { addServerCommands } from './server-commands.ts'
import type { Terminal } from './terminal.ts'

const exits = `
Exit status: 0 success, 1 failure, 64 wrong use, 65 rejected input, 66 not found,
69 no connection or a failure of the server, 75 a limit, 77 no permission, 130 interrupted.

Environment: ATRIUM_URL, ATRIUM_TOKEN, ATRIUM_TENANT, ATRIUM_PARTNER, ATRIUM_PROFILE, ATRIUM_CONFIG.`

/** The program with all its commands. */
export function createProgram(version: string, terminal: Terminal): Command {
  const program = new Command('atrium')
    .description('The command line of the Atrium platform API')
    .version(version, '-V')
    .option('--profile <name>', 'the profile to use')
    .option('--url <address>', 'the address of the API')
    .option('--tenant <slug>', 'the tenant to work on')
    .option('--partner <slug>', 'the partner to work on')
    .option('--json', 'JSON instead of tables')
    .addHelpText('after', exits)
    .exitOverride()
    .configureOutput({ writeErr: (text) => terminal.note(text.trimEnd()) })
  addProfileCommands(program, terminal)
  addApiCommand(program, terminal)
  addOperations(program, readOperations(), terminal)
  addEventsTail(program, terminal)
  addMcpCommand(program, version, terminal)
  addServerCommands(program)
  tab(program)
  return program
}
