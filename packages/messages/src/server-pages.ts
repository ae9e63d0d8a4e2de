import de from '../messages/de/server/pages.json' with { type: 'json' }
import en from '../messages/en/server/pages.json' with { type: 'json' }
import { catalogue } from './catalogue.ts'

/** Pages that the servers of the portals render themselves. */
export const serverPageTexts = catalogue({ en, de })
