import { confirm } from '@inquirer/prompts'
import { type Command, Option } from 'commander'
import { createCaller, ownerSlug, type Values } from './call.ts'
import { DeclinedError, UsageError } from './failure.ts'
import { choicesOf, isFlag, isPlainList, placeholderOf, readJson, readOption } from './input.ts'
import { type Operation, ownerOf, pathParameters, readOperations } from './operations.ts'
import { render } from './output.ts'
import type { Profile } from './profile-file.ts'
import { type Choice, chooseProfile } from './profiles.ts'
import { saveFile } from './save-file.ts'
import type { Terminal } from './terminal.ts'
import { watch, watchedAfter } from './watch.ts'

/** Values of the options of a command. */
type Options = Readonly<Record<string, unknown>>

const defaultWatchSeconds = 2
const kebab = (name: string) => name.replaceAll(/([A-Z])/g, (letter) => `-${letter.toLowerCase()}`)

/** Adds a command for each operation, named after its procedure. */
export function addOperations(
  program: Command,
  operations: readonly Operation[],
  terminal: Terminal,
): void {
  for (const operation of operations) {
    const parts = operation.name.split('.').map(kebab)
    const last = parts.pop() ?? operation.name
    const group = parts.reduce(groupOf, program)
    describeCommand(group.command(last), operation).action(async (...args: unknown[]) => {
      const command = args.at(-1) as Command
      await run(operation, command.args, command.optsWithGlobals(), terminal)
    })
  }
}

function groupOf(parent: Command, name: string): Command {
  const found = parent.commands.find((command) => command.name() === name)
  return found ?? parent.command(name).description(`commands for ${name.replaceAll('-', ' ')}`)
}

function describeCommand(command: Command, operation: Operation): Command {
  const { summary, description, scopes } = operation
  command.description(summary)
  const further = [description, scopes.length > 0 && `Scopes: ${scopes.join(', ')}.`]
  command.addHelpText('after', further.map((text) => (text ? `\n${text}` : '')).join(''))
  for (const name of ownArguments(operation)) command.argument(`<${kebab(name)}>`)
  for (const [name, schema] of Object.entries(operation.fields)) {
    const flag = kebab(name)
    const value = isFlag(schema) ? '' : ` ${placeholderOf(flag, schema)}`
    const option = new Option(`--${flag}${value}`, schema.description ?? '')
    const choices = choicesOf(schema)
    if (choices.length > 0 && !isPlainList(schema))
      option.choices(choices.concat(schema.anyOf ? ['null'] : []))
    command.addOption(option)
    if (isFlag(schema)) command.addOption(new Option(`--no-${flag}`).hideHelp())
  }
  if (operation.output === 'pages') command.option('--all', 'every page, not only the first')
  if (operation.output === 'file')
    command
      .option('--output <path>', 'write into this file, which appears when it is complete')
      .option('--watch', 'show how much has arrived')
  else if (!operation.changes)
    command.option('--watch [seconds]', 'read again and show changes until the work is done')
  else if (operation.name in watchedAfter)
    command.option('--watch [seconds]', 'show how the work goes on until it is done')
  if (operation.changes) command.option('--input <json>', 'the fields as JSON, @file or - (stdin)')
  if (operation.method === 'DELETE') command.option('--yes', 'without asking')
  return command
}

/** The parameters of the path that are arguments: whose record it is comes from the profile. */
const ownArguments = (operation: Operation) =>
  pathParameters(operation.path).filter((name) => name !== 'slug' || !ownerOf(operation.path))

async function run(
  operation: Operation,
  args: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const profile = await chooseProfile(choiceOf(operation, options), terminal.env)
  const values = await readValues(operation, args, options, profile)
  if (operation.method === 'DELETE' && terminal.interactive && !options.yes) {
    const message = `${operation.summary}?`
    const confirmed = await confirm({ message, default: false }, terminal.prompt)
    if (!confirmed) throw new DeclinedError('Nothing was changed.')
  }
  const caller = createCaller(profile)
  if (operation.output === 'file') {
    const content = await caller.download(operation, values)
    return saveFile(
      content,
      { path: options.output, progress: options.watch !== undefined },
      terminal,
    )
  }
  const show = (data: unknown) => print(data, operation, options, terminal)
  if (options.watch !== undefined) {
    const seconds = options.watch === true ? defaultWatchSeconds : Number(options.watch)
    if (!(seconds >= 1)) throw new UsageError('--watch takes seconds, at least 1.')
    const tell = (text: string) => terminal.note(text)
    const read = () => caller.call(operation, values)
    if (!operation.changes) return watch(read, show, tell, seconds * 1_000)
    const response = await read()
    show(response)
    const { record, readAgain } = recordOf(operation, values, response)
    return watch(() => caller.call(...readAgain), show, tell, seconds * 1_000, record)
  }
  if (options.all)
    return show({ items: await caller.callPages(operation, values), nextCursor: null })
  show(await caller.call(operation, values))
}

/** The record that a change returned, and the call that reads it again. */
function recordOf({ name }: Operation, { slug }: Values, response: unknown) {
  const watched = watchedAfter[name]
  const reads = readOperations().find((operation) => operation.name === watched?.read)
  if (!watched || !reads) throw new UsageError(`--watch does not go with ${name}.`)
  const fields = response as Values
  const record = (watched.within === undefined ? fields : fields[watched.within]) as Values
  const readAgain = [reads, { slug, [watched.parameter]: record[watched.key] }] as const
  return { record, readAgain }
}

/** The options of the program; a field of the operation with the same name is not one of them. */
function choiceOf({ fields }: Operation, options: Options): Choice {
  const names = ['profile', 'url', 'tenant', 'partner'].filter((name) => !(name in fields))
  return Object.fromEntries(
    names.flatMap((name) => (typeof options[name] === 'string' ? [[name, options[name]]] : [])),
  )
}

async function readValues(
  operation: Operation,
  args: readonly string[],
  options: Options,
  profile: Profile,
): Promise<Values> {
  const input = typeof options.input === 'string' ? await readJson(options.input) : {}
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new UsageError('--input takes a JSON object.')
  const fields = Object.entries(operation.fields).flatMap(([name, schema]) => {
    const value = options[name]
    return value === undefined
      ? []
      : [[name, readOption(kebab(name), schema, value as string | boolean | string[])]]
  })
  const values: Record<string, unknown> = { ...input, ...Object.fromEntries(fields) }
  const owner = ownerOf(operation.path)
  const slug = ownerSlug(operation, profile)
  if (owner && !slug) throw new UsageError(`Name the ${owner} with --${owner}.`)
  if (slug) values.slug = slug
  for (const [index, name] of ownArguments(operation).entries()) values[name] = args[index]
  const missing = operation.required.filter((name) => values[name] === undefined)
  if (missing.length > 0)
    throw new UsageError(`Missing: ${missing.map((name) => `--${kebab(name)}`).join(', ')}.`)
  return values
}

function print(data: unknown, operation: Operation, options: Options, terminal: Terminal): void {
  if (operation.output === 'nothing') terminal.note(`Done: ${operation.summary}.`)
  else if (options.json) terminal.print(JSON.stringify(data, null, 2))
  else {
    terminal.print(render(data, terminal.width))
    const { nextCursor, items } = data as { nextCursor?: string | null; items?: unknown[] }
    if (nextCursor && items?.length)
      terminal.note(`There may be more: --all, or --${cursorOption(operation)} ${nextCursor}`)
  }
}

const cursorOption = ({ fields }: Operation) =>
  ['before', 'after'].find((name) => name in fields) ?? 'cursor'
