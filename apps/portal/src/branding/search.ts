import { templateKeys } from '@atrium/core/branding/template-keys'
import { languages } from '@atrium/messages/languages'
import { oneOf, searchReader } from '@atrium/ui/search-params'

/** The message that the page of e-mail texts shows, and the language of its standard text. */
export const readMailTextsSearch = searchReader({
  template: oneOf(templateKeys),
  language: oneOf(languages),
})
export type MailTextsSearch = ReturnType<typeof readMailTextsSearch>
