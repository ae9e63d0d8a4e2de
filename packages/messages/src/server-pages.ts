import { catalogue } from './catalogue.ts'
import de from './de/server/pages.json' with { type: 'json' }
import en from './en/server/pages.json' with { type: 'json' }

/** Pages that the servers of the portals render themselves. */
export const serverPageTexts = catalogue({ en, de })
