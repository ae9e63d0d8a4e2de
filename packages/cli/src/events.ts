import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, createAtriumClient, dataOf } from '@atrium/client'
import type { Command } from 'commander'
import type { Profile } from './profile-file.ts'
import { type Choice, chooseProfile } from './profiles.ts'
import type { Terminal } from './terminal.ts'

interface Event {
  type: string
  timestamp: string
  cursor: string
  data: {
    tenant: string | null
    actor: { email: string | null; type: string }
    resource: { type: string; name: string | null; id: string | null }
  }
}
type TailOptions = Choice & { after?: string; json?: boolean; follow: boolean }

const firstPauseMs = 1_000
const longestPauseMs = 30_000

/** Adds `atrium events tail` beside the commands of the operations. */
export function addEventsTail(program: Command, terminal: Terminal): void {
  const events = program.commands.find((command) => command.name() === 'events')
  const group = events ?? program.command('events').description('commands for events')
  group
    .command('tail')
    .option('--after <cursor>', 'begin behind this event; with the next event where absent')
    .option('--no-follow', 'end with the newest event')
    .description('Print events as they happen, one per line')
    .addHelpText('after', '\nScopes: events:read.')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<TailOptions>()
      await tail(await chooseProfile(options, terminal.env), options, terminal)
    })
}

/** Continues behind the last printed event whenever the stream ends. */
async function tail(profile: Profile, options: TailOptions, terminal: Terminal): Promise<void> {
  let after = options.after ?? (options.follow ? await newestCursor(profile) : undefined)
  let pause = firstPauseMs
  for (;;) {
    const lost = await readStream(profile, { after, follow: options.follow }, (event) => {
      after = event.cursor
      pause = firstPauseMs
      terminal.print(options.json ? JSON.stringify(event) : describe(event))
    })
    if (!options.follow && !lost) return
    if (lost instanceof ApiError && lost.status < 500 && lost.status !== 429) throw lost
    terminal.note('The stream ended. It continues behind the last event.')
    await sleep(pause)
    pause = Math.min(pause * 2, longestPauseMs)
  }
}

/** Returns what ended the stream before its end. */
async function readStream(
  profile: Profile,
  { after, follow }: { after: string | undefined; follow: boolean },
  onEvent: (event: Event) => void,
): Promise<unknown> {
  try {
    const { data, error, response } = await createAtriumClient(profile).GET('/events/stream', {
      params: {
        query: { follow: follow ? 'true' : 'false', ...(after !== undefined && { after }) },
      },
      parseAs: 'stream',
    })
    if (!response.ok || !data) return new ApiError(response, error)
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of data as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      // An empty line only shows that the connection is alive.
      for (const line of lines) if (line.trim() !== '') onEvent(JSON.parse(line) as Event)
    }
    return undefined
  } catch (error) {
    return error
  }
}

/** Where the events end now. */
async function newestCursor(profile: Profile): Promise<string> {
  const { nextCursor } = await dataOf(
    createAtriumClient(profile).GET('/events', { params: { query: { after: 'end' } } }),
  )
  return nextCursor
}

function describe({ type, timestamp, cursor, data }: Event): string {
  const { tenant, actor, resource } = data
  const what = resource.name ?? resource.id ?? ''
  return [timestamp, cursor, type, tenant ?? '-', actor.email ?? actor.type, resource.type, what]
    .join('  ')
    .trimEnd()
}
