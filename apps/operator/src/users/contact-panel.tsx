import type { UserView } from '@atrium/core/users/users'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { Panel } from '@atrium/ui/panel'
import { Button } from '@mantine/core'
import { lazy, useState, useTransition } from 'react'

// The form loads when it is asked for.
const ContactEditor = lazy(() =>
  import('./contact-editor.tsx').then((part) => ({ default: part.ContactEditor })),
)

/** Name and contact fields of a user, to read and to edit. */
export function ContactPanel({ user }: { user: UserView }) {
  const [editing, setEditing] = useState(false)
  const [loading, startLoading] = useTransition()
  return (
    <Panel
      title="Contact"
      actions={
        !editing && (
          <Button
            variant="default"
            size="xs"
            loading={loading}
            onClick={() => startLoading(() => setEditing(true))}
          >
            Edit contact
          </Button>
        )
      }
    >
      {editing ? (
        <ContactEditor user={user} onClose={() => setEditing(false)} />
      ) : (
        <DetailList>
          <DetailItem label="Name">{user.name}</DetailItem>
          <DetailItem label="E-mail">{user.email}</DetailItem>
          <DetailItem label="First name">{user.firstName}</DetailItem>
          <DetailItem label="Last name">{user.lastName}</DetailItem>
          <DetailItem label="Phone">{user.phone}</DetailItem>
          <DetailItem label="Alternative e-mail">{user.alternativeEmail}</DetailItem>
        </DetailList>
      )}
    </Panel>
  )
}
