import { issueMessages } from '@atrium/core/platform/issue-messages'
import { z } from 'zod'
import { translations } from './messages.ts'

const t = translations('ui.frame')

// The messages of schemas in the language of the page. Not zod's own locale: its messages are
// written for programmers, and the ones of the API would differ from it.
z.config({ customError: issueMessages((text, values) => t(`issues.${text}`, { ...values })) })
