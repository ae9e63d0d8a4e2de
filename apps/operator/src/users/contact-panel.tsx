import type { UserView } from '@atrium/core/users/users'
import { languageNames } from '@atrium/messages/languages'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Button } from '@mantine/core'
import { lazy, useState, useTransition } from 'react'

const t = translations('operator.users')

// The form is loaded when editing starts.
const ContactEditor = lazy(() =>
  import('./contact-editor.tsx').then((part) => ({ default: part.ContactEditor })),
)

/** Name and contact fields of a user, to read and to edit. */
export function ContactPanel({ user }: { user: UserView }) {
  const [editing, setEditing] = useState(false)
  const [loading, startLoading] = useTransition()
  return (
    <Panel
      title={t('contact.title')}
      actions={
        !editing && (
          <Button
            variant="default"
            size="xs"
            loading={loading}
            onClick={() => startLoading(() => setEditing(true))}
          >
            {t('contact.edit')}
          </Button>
        )
      }
    >
      {editing ? (
        <ContactEditor user={user} onClose={() => setEditing(false)} />
      ) : (
        <DetailList>
          <DetailItem label={t('contact.name')}>{user.name}</DetailItem>
          <DetailItem label={t('contact.email')}>{user.email}</DetailItem>
          <DetailItem label={t('contact.firstName')}>{user.firstName}</DetailItem>
          <DetailItem label={t('contact.lastName')}>{user.lastName}</DetailItem>
          <DetailItem label={t('contact.phone')}>{user.phone}</DetailItem>
          <DetailItem label={t('contact.alternativeEmail')}>{user.alternativeEmail}</DetailItem>
          <DetailItem label={t('contact.language')}>
            {user.language && languageNames[user.language]}
          </DetailItem>
        </DetailList>
      )}
    </Panel>
  )
}
