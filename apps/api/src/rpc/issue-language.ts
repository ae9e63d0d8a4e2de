import { AsyncLocalStorage } from 'node:async_hooks'
import { issueMessages } from '@atrium/core/platform/issue-messages'
import { issueTexts } from '@atrium/messages/issue-texts'
import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'
import { z } from 'zod'

const languages = new AsyncLocalStorage<PageLanguage>()

// zod takes its messages from the process and knows no request.
z.config({
  customError: issueMessages((text, values) =>
    issueTexts(languages.getStore() ?? defaultLanguage)(text, { ...values }),
  ),
})

/** Runs the work of a request: what schemas say about its input is in this language. */
export function withIssueLanguage<Result>(language: PageLanguage, run: () => Result): Result {
  return languages.run(language, run)
}
