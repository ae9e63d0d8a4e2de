import type { IssueMessages } from '@atrium/messages/issue-texts'

/** The names of the sentences in `ui/issues.json`. */
export type IssueMessageKey = keyof IssueMessages

/** What a sentence names besides its words. */
export type IssueValues = Readonly<Record<string, string | number>>

/** Writes a sentence in the language of a request or a page. */
export type WriteIssue = (key: IssueMessageKey, values: IssueValues) => string

// Schemas are made once, when their module loads, and know no reader.
let write: WriteIssue = (key) => key

/** Names the words for `issueText` and `says`. Until then a sentence is its key. */
export function setIssueWriter(writer: WriteIssue): void {
  write = writer
}

/**
 * A sentence of `ui/issues.json` in the language of the reader. Called while a value is checked.
 */
export function issueText(key: IssueMessageKey, values: IssueValues = {}): string {
  return write(key, values)
}

/** What a check of a schema says: `z.string().refine(isTimeZone, says('timeZone'))`. */
export function says(key: IssueMessageKey, values?: IssueValues): { error: () => string } {
  return { error: () => issueText(key, values) }
}
