import { appBuild } from '@atrium/ui/app-build'
import { defineConfig } from 'vite'

export default defineConfig(appBuild)
