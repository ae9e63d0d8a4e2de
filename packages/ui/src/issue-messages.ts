import { writeIssues } from '@atrium/core/platform/issue-messages'
import { translations } from './messages.ts'

const t = translations('ui.issues')

// What schemas say, in the language of the page. Not zod's own locale: its messages are written for
// programmers, and the ones of the API would differ from it.
writeIssues((key, values) => t(key, { ...values }))
