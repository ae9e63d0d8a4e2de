import { ProblemAlert } from '@atrium/ui/data-states'
import { formatElapsed } from '@atrium/ui/format'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { IconDownload, IconQrcode } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './devices.module.css'
import { createProfileLink, type ProfileLink, profileAddress } from './mail-profile.ts'
import { QrCode } from './qr-code.tsx'

/**
 * The profile for a phone: as a code to scan from another screen, or as a download on the phone
 * itself.
 */
export function PhoneLink({ slug }: { slug: string }) {
  const create = useMutation({ mutationFn: () => createProfileLink(slug), gcTime: 0 })
  return (
    <Stack>
      {create.error && <ProblemAlert title="The code was not made." error={create.error} />}
      {create.data && (
        <Code
          key={create.data.url}
          link={create.data}
          onAgain={() => create.mutate()}
          pending={create.isPending}
        />
      )}
      <Group gap="xs">
        {!create.data && (
          <Button
            leftSection={<IconQrcode size={18} aria-hidden />}
            loading={create.isPending}
            onClick={() => create.mutate()}
          >
            Show a code to scan
          </Button>
        )}
        <Button
          component="a"
          href={profileAddress(slug)}
          variant="default"
          leftSection={<IconDownload size={18} aria-hidden />}
        >
          Install on this device
        </Button>
      </Group>
    </Stack>
  )
}

interface CodeProps {
  link: ProfileLink
  onAgain: () => void
  pending: boolean
}

function Code({ link, onAgain, pending }: CodeProps) {
  const [now, setNow] = useState(() => Date.now())
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true })
  const left = new Date(link.expiresAt).getTime() - now
  if (left <= 0) {
    return (
      <Stack gap="xs" align="flex-start">
        <Text size="sm">This code has run out.</Text>
        <Button size="xs" onClick={onAgain} loading={pending}>
          Make a new one
        </Button>
      </Stack>
    )
  }
  return (
    <div className={classes.link}>
      <QrCode text={link.url} label="Code that opens the profile on your phone" />
      <div>
        <ol className={classes.steps}>
          <li>Point the camera of the phone at the code and open the link in Safari.</li>
          <li>Allow the download of the profile.</li>
          <li>Open Settings, then “Profile Downloaded”, and install it.</li>
          <li>Enter your password when Mail asks for it.</li>
        </ol>
        <Text size="sm" c="dimmed" mt="sm">
          The code works once, for {formatElapsed(left)}. Do not show it to others.
        </Text>
        <Button size="xs" variant="subtle" mt="xs" onClick={onAgain} loading={pending}>
          Make a new one
        </Button>
      </div>
    </div>
  )
}
