--- The version of the plugin. The host's must be the same; `client` compares them when the channel opens.
return "0.3.0"
