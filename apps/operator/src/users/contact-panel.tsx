import type { UserView } from '@atrium/core/users'
import { Fact, Facts } from '@atrium/ui/facts'
import { Panel } from '@atrium/ui/panel'
import { Button } from '@mantine/core'
import { lazy, useState, useTransition } from 'react'

// The form loads when it is asked for.
const ContactEditor = lazy(() => import('./contact-editor.tsx').then((part) => ({ default: part.ContactEditor })))

/** Name and contact fields of a user, to read and to edit. */
export function ContactPanel({ user }: { user: UserView }) {
  const [editing, setEditing] = useState(false)
  const [loading, startLoading] = useTransition()
  return (
    <Panel
      title="Contact"
      actions={
        !editing && (
          <Button variant="default" size="xs" loading={loading} onClick={() => startLoading(() => setEditing(true))}>
            Edit contact
          </Button>
        )
      }
    >
      {editing ? (
        <ContactEditor user={user} onClose={() => setEditing(false)} />
      ) : (
        <Facts>
          <Fact label="Name">{user.name}</Fact>
          <Fact label="E-mail">{user.email}</Fact>
          <Fact label="First name">{user.firstName}</Fact>
          <Fact label="Last name">{user.lastName}</Fact>
          <Fact label="Phone">{user.phone}</Fact>
          <Fact label="Alternative e-mail">{user.alternativeEmail}</Fact>
        </Facts>
      )}
    </Panel>
  )
}
