import { AsyncLocalStorage } from 'node:async_hooks'
import { writeIssues } from '@atrium/core/platform/issue-messages'
import { issueTexts } from '@atrium/messages/issue-texts'
import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'

const languages = new AsyncLocalStorage<PageLanguage>()

// Schemas know no request.
writeIssues((key, values) =>
  issueTexts(languages.getStore() ?? defaultLanguage)(key, { ...values }),
)

/** Runs the work of a request: what schemas say about its input is in this language. */
export function withIssueLanguage<Result>(language: PageLanguage, run: () => Result): Result {
  return languages.run(language, run)
}
