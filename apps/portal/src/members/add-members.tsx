import type { CreatedMember, MemberView } from '@atrium/core/members'
import type { TenantView } from '@atrium/core/tenants'
import { LinkButton } from '@atrium/ui/links'
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFileImport, IconUserPlus } from '@tabler/icons-react'
import { useState } from 'react'
import * as targets from '../targets.ts'
import { CreateMemberDialog } from './create-member-dialog.tsx'
import { FirstPassword } from './first-password.tsx'

interface Props {
  tenant: TenantView
  /** Opens the details of a member who has just been made. */
  onOpen: (member: MemberView) => void
}

/** The two ways to bring people in: one by one, or a list of them. */
export default function AddMembers({ tenant, onOpen }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  const [created, setCreated] = useState<CreatedMember>()
  return (
    <>
      <LinkButton {...targets.memberImport(tenant.slug)} variant="default" leftSection={<IconFileImport size={17} aria-hidden />}>
        Import
      </LinkButton>
      <Button leftSection={<IconUserPlus size={17} aria-hidden />} onClick={open}>
        Add member
      </Button>
      <CreateMemberDialog
        tenant={tenant}
        opened={opened}
        onClose={close}
        onCreated={(answer) => {
          close()
          setCreated(answer)
          if (answer.oneTimePassword === null) onOpen(answer.member)
        }}
      />
      <FirstPassword
        answer={created}
        onClose={() => {
          setCreated(undefined)
          if (created) onOpen(created.member)
        }}
      />
    </>
  )
}
