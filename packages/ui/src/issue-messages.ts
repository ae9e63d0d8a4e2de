import { writeIssues } from '@atrium/core/platform/issue-messages'
import { hasMessages, translations } from './messages.ts'

const t = translations('ui.issues')

// What schemas say, in the language of the page. Not zod's own locale: its messages are written for
// programmers, and the ones of the API would differ from it.
//
// Pages with forms load the sentences. Values that are only checked, such as the search of an
// address, have nobody who reads what is wrong with them.
writeIssues((key, values) => (hasMessages('ui.issues') ? t(key, { ...values }) : ''))
