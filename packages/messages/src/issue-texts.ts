import { catalogue } from './catalogue.ts'
import de from './de/ui/frame.json' with { type: 'json' }
import en from './en/ui/frame.json' with { type: 'json' }

export type IssueMessages = typeof en.issues

/** What a schema says about a value that it rejects, where it has no sentence of its own. */
export const issueTexts = catalogue({ en: en.issues, de: de.issues })
