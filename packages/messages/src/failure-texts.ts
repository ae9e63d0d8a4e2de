import { catalogue } from './catalogue.ts'
import de from './de/server/failures.json' with { type: 'json' }
import en from './en/server/failures.json' with { type: 'json' }

export type FailureMessages = typeof en

/** The names of the sentences, with the English ones. */
export const failureMessages: FailureMessages = en

/** What failed in an upstream system, as rows and errors say it. */
export const failureTexts = catalogue({ en, de })
