package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"vcp.core/runtime/door/token"
)

// tokenFile is where the data folder keeps hashes of tokens.
const tokenFile = "tokens.json"

func (a *app) tokens() *token.File { return token.Open(filepath.Join(a.dataDir(), tokenFile)) }

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token and print it. It is shown once and kept nowhere."`
	List   tokenListCmd   `cmd:"" help:"List the tokens: names, scopes, when they were made."`
	Revoke tokenRevokeCmd `cmd:"" help:"Take a token away, at once."`
}

type tokenCreateCmd struct {
	Name  string   `help:"Who it is for: it stands in results and audit records as the actor's name." required:"" placeholder:"NAME"`
	Scope []string `help:"What it may do; may be repeated. Default: call and results:read." placeholder:"SCOPE"`
}

// Help is the long help of the verb.
func (tokenCreateCmd) Help() string {
	return `Prints a bearer token for vcp serve, alone on standard output. The data folder keeps a hash of it only.

Scopes:
  call           call commands, see the tools
  results:read   read the results and resources of its own calls
  results:all    read everybody's
  audit:read     read the audit records
  metrics:read   read the metrics, where they are not open
  admin          everything, commands for administrators as well
  others         what manifests ask for, by their own words

Examples:
  vcp token create --name ann
  TOKEN=$(vcp token create --name ci --scope call --scope garden:water)`
}

// Run runs the verb.
func (c *tokenCreateCmd) Run(a *app) error {
	if len(c.Scope) == 0 {
		c.Scope = []string{token.Call, token.ResultsRead}
	}
	text, made, err := a.tokens().Create(c.Name, c.Scope, time.Now())
	if err != nil {
		name, isName := errors.AsType[*token.NameError](err)
		switch {
		case isName && name.Taken():
			return wrongUse("vcp token list shows those that there are", "%v", err)
		case isName:
			return wrongUse("", "%v", err)
		case errors.As(err, new(*token.ScopeError)):
			return wrongUse("vcp token create --help lists the scopes", "%v", err)
		}
		return a.tokensFailed(err)
	}
	if _, err := fmt.Fprintln(a.stdout, text); err != nil {
		return err
	}
	a.sayf("vcp: token %s for %s, scopes %s", made.ID, made.Name, strings.Join(made.Scopes, ", "))
	a.doubt(made.Scopes)
	return nil
}

// tokensFailed says that the file of tokens cannot be used.
func (a *app) tokensFailed(err error) error {
	return &stop{code: exitFindings, message: fmt.Sprintf("the tokens cannot be read or kept: %v", err), hint: "--data names another folder"}
}

// doubt names scopes that nothing here asks for. They may be for tools that are still to come, or misspelled.
func (a *app) doubt(scopes []string) {
	known, _, err := a.catalog()
	if err != nil {
		return
	}
	asked := map[string]bool{}
	for _, s := range token.Scopes() {
		asked[s] = true
	}
	for _, spec := range known.Specs() {
		for _, s := range spec.Scopes {
			asked[s] = true
		}
	}
	for _, s := range scopes {
		if !asked[s] {
			a.sayf("vcp: nothing here asks for the scope %q; vcp token create --help lists those of vcp itself", s)
		}
	}
}

type tokenListCmd struct {
	JSON bool `name:"json" help:"Print one JSON object a line."`
}

// tokenLine is a line of vcp token list --json.
type tokenLine struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	Scopes  []string  `json:"scopes"`
}

// Run runs the verb.
func (c *tokenListCmd) Run(a *app) error {
	list, err := a.tokens().List()
	if err != nil {
		return a.tokensFailed(err)
	}
	if c.JSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		for _, t := range list {
			if err := enc.Encode(tokenLine{t.ID, t.Name, t.Created, t.Scopes}); err != nil {
				return err
			}
		}
		return nil
	}
	return table(a.stdout, "ID\tNAME\tCREATED\tSCOPES", func(line func(...string)) error {
		for _, t := range list {
			line(t.ID, t.Name, local8601(t.Created), strings.Join(t.Scopes, ", "))
		}
		return nil
	})
}

type tokenRevokeCmd struct {
	Name string `arg:"" help:"The token's name or id."`
}

// Run runs the verb.
func (c *tokenRevokeCmd) Run(a *app) error {
	err := a.tokens().Revoke(c.Name)
	if errors.As(err, new(*token.UnknownError)) {
		return &stop{code: exitFindings, message: err.Error(), hint: "vcp token list shows those that there are"}
	}
	if err != nil {
		return a.tokensFailed(err)
	}
	return nil
}
