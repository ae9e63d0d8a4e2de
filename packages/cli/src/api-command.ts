import type { Command } from 'commander'
import { createCaller } from './call.ts'
import { statusOfResponse, UsageError } from './failure.ts'
import { readJson } from './input.ts'
import { type Choice, chooseProfile } from './profiles.ts'
import type { Terminal } from './terminal.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Adds `atrium api`, which sends any request. */
export function addApiCommand(program: Command, terminal: Terminal): void {
  program
    .command('api')
    .argument('<method>')
    .argument('<path>', 'such as /tenants/acme/users?limit=10')
    .option('--data <json>', 'the body: JSON, @file or - (stdin)')
    .option('--include', 'status and headers before the body')
    .description('Send a request to the API and print the response')
    .action(async (method: string, path: string, _, command: Command) => {
      const options = command.optsWithGlobals<Choice & { data?: string; include?: boolean }>()
      if (!methods.includes(method.toUpperCase()))
        throw new UsageError(`The method is one of ${methods.join(', ')}.`)
      // An address of its own would get the token.
      if (!path.startsWith('/')) throw new UsageError('The path begins with /.')
      const caller = createCaller(await chooseProfile(options, terminal.env))
      const body = options.data === undefined ? undefined : await readJson(options.data)
      const { data, error, response } = await caller.send({ method, path, body })
      if (options.include)
        terminal.print(
          [
            `HTTP ${response.status}`,
            ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
            '',
          ].join('\n'),
        )
      const content = response.ok ? data : error
      if (content) terminal.print(typeof content === 'string' ? content : JSON.stringify(content))
      if (!response.ok) process.exitCode = statusOfResponse(response.status)
    })
}
