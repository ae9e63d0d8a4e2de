import { catalogueLanguage, pseudoLanguage } from '@atrium/messages/languages'
import type { MessageFile, MessagesOf } from '@atrium/messages/messages'
import { inBrackets } from '@atrium/messages/pseudo'
import { createTranslator } from 'use-intl/core'
import { pageLanguage } from './page-language.ts'

type AnyTranslator = ReturnType<typeof createTranslator>

/** Formats the messages of one file: `t('title')`, `t.rich('hint', { link: … })`. */
export type Translator<File extends MessageFile> = ReturnType<
  typeof createTranslator<MessagesOf<File>>
>

/** The files that an app can load, by path: `./de/ui/frame.json`. */
type MessageFiles = Readonly<Record<string, () => Promise<unknown>>>

let files: MessageFiles = {}
const loading = new Map<MessageFile, Promise<void>>()
const translators = new Map<MessageFile, AnyTranslator>()

/** Names the files that this app can load. Called once, before anything is loaded. */
export function provideMessages(app: MessageFiles): void {
  files = app
}

/** Loads these files in the language of the page. A load that failed is retried. */
export async function loadMessages(...names: readonly MessageFile[]): Promise<void> {
  await Promise.all(
    names.map((name) => {
      const known = loading.get(name)
      if (known) return known
      const load = loadFile(name)
      loading.set(name, load)
      load.catch(() => loading.delete(name))
      return load
    }),
  )
}

/** Whether the messages of this file are there, so that `t` of it does not throw. */
export function hasMessages(name: MessageFile): boolean {
  return translators.has(name)
}

async function loadFile(name: MessageFile): Promise<void> {
  const path = `./${catalogueLanguage(pageLanguage)}/${name.replace('.', '/')}.json`
  const file = files[path]
  if (!file) throw new Error(`This app has no messages at ${path}.`)
  const messages = await file()
  addMessages(name, pageLanguage === pseudoLanguage ? inBrackets(messages) : messages)
}

/** Registers the messages of a file. Apps call `loadMessages`; tests hand messages in. */
export function addMessages(name: MessageFile, messages: unknown): void {
  translators.set(
    name,
    createTranslator({
      locale: pageLanguage,
      messages: messages as Record<string, unknown>,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      onError: (error) => {
        throw error
      },
    }),
  )
}

/**
 * A part of the app that is loaded together with the messages it shows:
 * `lazyRouteComponent(() => withMessages(import('./members-page.tsx'), 'portal.members'))`.
 */
export async function withMessages<Part>(
  part: Promise<Part>,
  ...names: readonly MessageFile[]
): Promise<Part> {
  const [loaded] = await Promise.all([part, loadMessages(...names)])
  return loaded
}

/**
 * The messages of one file, for a module's top level: `const t = translations('portal.members')`.
 * The language stays the same for as long as the page is open, so components and plain functions
 * call `t` alike. `t` throws before the file is loaded (`withMessages`): it is called while
 * something is rendered, not while a module loads.
 */
export function translations<File extends MessageFile>(file: File): Translator<File> {
  const loaded = () => {
    const translator = translators.get(file)
    if (!translator) throw new Error(`The messages of ${file} are not loaded.`)
    return translator
  }
  const t = (...message: Parameters<AnyTranslator>) => loaded()(...message)
  const rich = (...message: Parameters<AnyTranslator['rich']>) => loaded().rich(...message)
  const has = (key: Parameters<AnyTranslator['has']>[0]) => loaded().has(key)
  return Object.assign(t, { rich, has }) as unknown as Translator<File>
}
