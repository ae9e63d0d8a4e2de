import { catalogue } from './catalogue.ts'
import de from './de/server/documents.json' with { type: 'json' }
import en from './en/server/documents.json' with { type: 'json' }

/** Texts of invoices, credit notes and statements, in the PDF and in the XML. */
export const documentTexts = catalogue({ en, de })
export type DocumentTexts = ReturnType<typeof documentTexts>
