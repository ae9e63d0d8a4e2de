import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MessageFile } from '@atrium/messages/messages'
import '../src/issue-messages.ts'
import { addMessages } from '../src/messages.ts'

// Tests call what renders a page without its router, which loads the messages.
const folder = fileURLToPath(new URL('en/', import.meta.resolve('@atrium/messages/messages')))
for (const area of readdirSync(folder))
  for (const file of readdirSync(`${folder}${area}`))
    addMessages(
      `${area}.${basename(file, '.json')}` as MessageFile,
      JSON.parse(readFileSync(`${folder}${area}/${file}`, 'utf8')),
    )
