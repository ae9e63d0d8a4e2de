import { issueTexts } from '@atrium/messages/issue-texts'
import { z } from 'zod'
import { issueMessages } from '../src/platform/issue-messages.ts'

// As the API does it for requests in English.
z.config({ customError: issueMessages((text, values) => issueTexts('en')(text, { ...values })) })
