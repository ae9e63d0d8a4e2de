import type { QueuedMail } from '@atrium/core/outbox/outbox'
import { FailureText } from '@atrium/ui/failure-text'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { SendAgain } from './send-again.tsx'
import { mailMeta } from './status-meta.ts'

const t = translations('operator.mail')

/** Columns of the mail queue. */
export const mailColumns = (): readonly Column<QueuedMail>[] => [
  {
    key: 'message',
    header: t('columns.message'),
    primary: true,
    cell: (mail) => (
      <>
        <Text span inherit fw={550}>
          {mail.title}
        </Text>
        {mail.error && mail.state !== 'sent' && (
          <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
            <FailureText text={mail.error} />
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'to',
    header: t('columns.to'),
    cell: ({ recipient }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {recipient ?? t('erased')}
      </Text>
    ),
  },
  {
    key: 'tenant',
    header: t('columns.tenant'),
    cell: ({ tenantSlug }) =>
      tenantSlug === null ? (
        '–'
      ) : (
        <LinkAnchor
          to="/tenants/$slug"
          params={{ slug: tenantSlug }}
          fz="inherit"
          underline="hover"
        >
          {tenantSlug}
        </LinkAnchor>
      ),
  },
  {
    key: 'state',
    header: t('columns.state'),
    cell: (mail) => <StatusBadge {...mailMeta(mail.state)} />,
  },
  { key: 'tries', header: t('columns.attempts'), cell: (mail) => mail.attempts },
  { key: 'when', header: t('columns.when'), cell: whenOf },
  { key: 'again', header: t('sendAgain.action'), cell: (mail) => <SendAgain mail={mail} /> },
]

function whenOf({ sentAt, nextAt, state, createdAt }: QueuedMail) {
  if (sentAt !== null) return <When at={sentAt} />
  if (state !== 'failed' || nextAt === null) return <When at={createdAt} />
  return t.rich('next', { time: () => <When at={nextAt} /> })
}
