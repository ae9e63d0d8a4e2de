import type { ApiChange } from './compare.ts'
import { type ChangeKind, changeKinds } from './schemas.ts'

const heading = '## Unreleased'
const titleOf = (kind: ChangeKind) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`

/**
 * What contradicts "Breaking" under "Unreleased" of the API's changelog: a breaking change that it
 * does not name, and an entry that no change is behind. An entry is the sentence of the change, and
 * may say more after it.
 */
export function faultsOfChangelog(changelog: string, changes: readonly ApiChange[]): string[] {
  const sentences = changes
    .filter(({ kind }) => kind === 'breaking')
    .map(({ sentence }) => sentence)
  const listed = entriesOf(changelog).breaking ?? []
  return [
    ...sentences
      .filter((sentence) => !listed.some((entry) => names(entry, sentence)))
      .map((sentence) => `breaking change that is not in the changelog: ${sentence}`),
    ...listed
      .filter((entry) => !sentences.some((sentence) => names(entry, sentence)))
      .map((entry) => `in the changelog, but no breaking change: ${entry}`),
  ]
}

/** The changes as entries of the changelog, those first that break a caller. */
export function writeEntries(changes: readonly ApiChange[]): string {
  return changeKinds
    .flatMap((kind) => {
      const those = changes.filter((change) => change.kind === kind)
      if (those.length === 0) return []
      return [
        `### ${titleOf(kind)}\n\n${those.map(({ sentence }) => entry(sentence)).join('\n')}\n`,
      ]
    })
    .join('\n')
}

/**
 * The changelog with everything that is unreleased under the version: the entries that are there,
 * and the changes that none of them names.
 */
export function releaseChangelog(
  changelog: string,
  changes: readonly ApiChange[],
  { version, day }: { version: string; day: string },
): string {
  const { before, after } = parted(changelog)
  const written = entriesOf(changelog)
  const all = changeKinds.flatMap((kind) => {
    const own = written[kind] ?? []
    const further = changes.filter(
      (change) => change.kind === kind && !own.some((one) => names(one, change.sentence)),
    )
    return [...own.map((sentence) => ({ kind, sentence })), ...further]
  })
  return `${before}${heading}\n\n## ${version} – ${day}\n\n${writeEntries(all)}${after === '' ? '' : `\n${after}`}`
}

const names = (entry: string, sentence: string) =>
  entry === sentence || entry.startsWith(`${sentence}. `) || entry.startsWith(`${sentence}, `)

/** An entry in lines of at most 100 columns. */
function entry(sentence: string): string {
  const lines = ['-']
  for (const word of sentence.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length + 1 > 100) lines.push(`  ${word}`)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines.join('\n')
}

/** What stands before, in and after the section of unreleased changes. */
function parted(changelog: string): { before: string; section: string; after: string } {
  const [before = '', rest] = changelog.split(`${heading}\n`)
  if (rest === undefined) throw new Error(`the changelog has no section "${heading}"`)
  const end = rest.search(/^## /m)
  return end === -1
    ? { before, section: rest, after: '' }
    : { before, section: rest.slice(0, end), after: rest.slice(end) }
}

/** The entries of the section of unreleased changes, each in one line. */
function entriesOf(changelog: string): Partial<Record<ChangeKind, string[]>> {
  const parts = parted(changelog).section.split(/^### /m).slice(1)
  return Object.fromEntries(
    parts.map((part) => {
      const [title = '', ...lines] = part.split('\n')
      const kind = changeKinds.find((one) => titleOf(one) === title.trim())
      if (!kind) throw new Error(`the changelog has no sections "${title}"`)
      const entries = lines
        .join('\n')
        .split(/^- /m)
        .slice(1)
        .map((text) => text.trim().replace(/\s+/g, ' '))
      return [kind, entries]
    }),
  )
}
