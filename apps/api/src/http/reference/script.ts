import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

let read: string | undefined

/**
 * The script of the API reference (`client/page.ts`), as a page contains it. Read on first use:
 * Node warns that it removes types, and a service that runs from its sources should not start with
 * that.
 */
export function pageScript(): string {
  read ??= import.meta.url.endsWith('.ts')
    ? stripTypeScriptTypes(textOf('./client/page.ts'))
    : textOf('./reference-page.js').replace(/\n\/\/# sourceMappingURL=.*$/, '')
  return read
}

const textOf = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
