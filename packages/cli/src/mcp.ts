import { createAtriumClient, dataOf } from '@atrium/client'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import type { Command } from 'commander'
import { type Caller, createCaller, ownerSlug, type Values } from './call.ts'
import { describeFailure, UsageError } from './failure.ts'
import { type Operation, pathParameters, readOperations } from './operations.ts'
import type { Profile } from './profile-file.ts'
import { type Choice, chooseProfile } from './profiles.ts'
import type { Terminal } from './terminal.ts'

interface McpOptions extends Choice {
  allowWrite?: boolean
}

/** Adds `atrium mcp`, a server of the Model Context Protocol on standard input and output. */
export function addMcpCommand(program: Command, version: string, terminal: Terminal): void {
  program
    .command('mcp')
    .option('--allow-write', 'offer changes too; the person confirms each of them')
    .description('Serve the operations of the token as tools of the Model Context Protocol')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<McpOptions>()
      const profile = await chooseProfile(options, terminal.env)
      // Its scopes limit what such a program can do, whatever it is asked to do.
      if (typeof profile.token !== 'string')
        throw new UsageError('"atrium mcp" needs a service token: atrium login --with-token.')
      const { scopes } = await dataOf(createAtriumClient(profile).GET('/service-tokens/current'))
      const operations = readOperations().filter((operation) =>
        isOffered(operation, scopes, options.allowWrite ?? false),
      )
      const server = createMcpServer(version, operations, profile)
      await server.connect(new StdioServerTransport())
    })
}

/**
 * Whether an operation is a tool: within the scopes of the token, reading unless changes are
 * allowed, and never with a one-time secret or a file in its response.
 */
export function isOffered(
  { changes, secret, output, scopes }: Operation,
  granted: readonly string[],
  allowWrite: boolean,
): boolean {
  if (secret || output === 'file') return false
  return (allowWrite || !changes) && scopes.every((scope) => granted.includes(scope))
}

function createMcpServer(
  version: string,
  operations: readonly Operation[],
  profile: Profile,
): Server {
  const server = new Server({ name: 'atrium', version }, { capabilities: { tools: {} } })
  const caller = createCaller(profile)
  const byName = new Map(operations.map((operation) => [toolName(operation), operation]))
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: operations.map((operation) => describeTool(operation, profile)),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const operation = byName.get(params.name)
    if (!operation) return failed(`There is no tool "${params.name}".`)
    const slug = ownerSlug(operation, profile)
    const values = { ...(slug !== undefined && { slug }), ...params.arguments }
    const missing = requiredFields(operation).filter((name) => !(name in values))
    if (missing.length > 0) return failed(`Missing: ${missing.join(', ')}.`)
    if (operation.changes) {
      const rejection = await askPerson(server, operation, values)
      if (rejection) return failed(rejection)
    }
    return callTool(caller, operation, values)
  })
  return server
}

const toolName = ({ name }: Operation) => name.replaceAll('.', '_')

const requiredFields = ({ path, required }: Operation) => [...pathParameters(path), ...required]

function describeTool(operation: Operation, profile: Profile): Tool {
  const { summary, description, fields, changes, method, path } = operation
  const known = ownerSlug(operation, profile)
  const inPath = pathParameters(path).map((name) => [name, { type: 'string' }])
  return {
    name: toolName(operation),
    description: description ? `${summary}. ${description}` : summary,
    inputSchema: {
      type: 'object',
      properties: { ...Object.fromEntries(inPath), ...fields },
      required: requiredFields(operation).filter((name) => name !== 'slug' || known === undefined),
    },
    annotations: { readOnlyHint: !changes, destructiveHint: method === 'DELETE' },
  }
}

/**
 * A change needs the consent of a person, whom only the client can ask. Returns why there is none.
 */
async function askPerson(
  server: Server,
  { summary, name }: Operation,
  values: Values,
): Promise<string | undefined> {
  if (!server.getClientCapabilities()?.elicitation)
    return 'Changes need a client that can ask the person (elicitation).'
  const { action, content } = await server.elicitInput({
    message: `${summary} (${name})\n${JSON.stringify(values, null, 2)}`,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Carry this out' } },
      required: ['confirm'],
    },
  })
  return action === 'accept' && content?.confirm === true
    ? undefined
    : 'The person did not confirm. Nothing was changed.'
}

async function callTool(
  caller: Caller,
  operation: Operation,
  values: Values,
): Promise<CallToolResult> {
  try {
    const data = await caller.call(operation, values)
    const text = operation.output === 'nothing' ? 'Done.' : JSON.stringify(data)
    return { content: [{ type: 'text', text }] }
  } catch (error) {
    return failed(describeFailure(error, true))
  }
}

const failed = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text }],
})
