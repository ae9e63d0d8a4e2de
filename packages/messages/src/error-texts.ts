import { catalogue } from './catalogue.ts'
import de from './de/server/errors.json' with { type: 'json' }
import en from './en/server/errors.json' with { type: 'json' }

export type ErrorMessages = typeof en

/** The names of the sentences, with the English ones. */
export const errorMessages: ErrorMessages = en

/** Titles and details of errors, as the API and the apps' servers return them. */
export const errorTexts = catalogue({ en, de })
