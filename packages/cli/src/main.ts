#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { describeFailure, exitStatus, statusOf } from './failure.ts'
import { createProgram } from './program.ts'
import { processTerminal } from './terminal.ts'

const terminal = processTerminal()
const manifest = new URL('../package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
process.once('SIGINT', () => process.exit(exitStatus.interrupted))
// A reader that has enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : exitStatus.failed)
})
try {
  await createProgram(version, terminal).parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

function report(error: unknown): number {
  // Commander has written its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitStatus.usage
  if (error instanceof Error && error.name === 'ExitPromptError') return exitStatus.interrupted
  terminal.note(describeFailure(error, process.argv.includes('--json')))
  return statusOf(error)
}
